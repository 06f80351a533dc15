import { writeFileSync } from 'node:fs';
import { rulesPage, rulesPageFile } from './rules-page.js';

writeFileSync(rulesPageFile, rulesPage());
