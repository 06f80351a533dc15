import { writeFileSync } from 'node:fs';
import { routes } from '../routes.js';
import { clientContract, clientContractFile } from './client-contract.js';

writeFileSync(clientContractFile, clientContract(routes));
