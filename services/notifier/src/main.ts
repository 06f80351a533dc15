import { runProcess } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { loadConfig } from './config.js';
import { createContext } from './context.js';
import { startServer } from './server.js';

const config = loadConfig(process.env);
const log = createLog({ service: 'notifier', level: config.logLevel });

await runProcess({
  log,
  noticeMs: config.shutdownNoticeMs,
  start: async (lifecycle) => {
    const context = await createContext(config, { log, lifecycle });
    const ports = await startServer(context);
    log.info(ports, 'notifier is listening');
  },
});
