import { writeFileSync } from 'node:fs';
import { clientContract, clientContractFile } from './openapi/client-contract.js';
import { routes } from './routes.js';

writeFileSync(clientContractFile, clientContract(routes));
