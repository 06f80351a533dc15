import { runService } from '@countersign/runtime/lifecycle';
import { loadConfig } from './config.js';
import { createContext } from './context.js';
import { startServer } from './server.js';

await runService('notifier', { loadConfig, createContext, startServer });
