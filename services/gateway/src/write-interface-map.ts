import { writeFileSync } from 'node:fs';
import { interfaceMap, interfaceMapFile } from './interface-map.js';
import { routes } from './routes.js';

writeFileSync(interfaceMapFile, interfaceMap(routes));
