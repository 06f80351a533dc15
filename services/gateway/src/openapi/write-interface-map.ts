import { writeFileSync } from 'node:fs';
import { routes } from '../routes.js';
import { interfaceMap, interfaceMapFile } from './interface-map.js';

writeFileSync(interfaceMapFile, interfaceMap(routes));
