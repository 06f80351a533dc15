import { isFree, type PortPicker } from './ports.js';
import { Failure } from './screen.js';
import { pickPorts, type ServicePorts } from './service-environment.js';

const defaults = { PORT: 8080, INTERNAL_PORT: 8081 };

/** The gateway's two ports from the environment, validated; all others are free ports. */
export async function localPorts(
  picker: PortPicker,
  env: NodeJS.ProcessEnv,
): Promise<ServicePorts> {
  const port = await gatewayPort('PORT', picker, env);
  const internalPort = await gatewayPort('INTERNAL_PORT', picker, env);
  if (port === internalPort) {
    throw new Failure('PORT and INTERNAL_PORT are the same.', 'Give two different ports.');
  }
  return pickPorts(picker, { port, internalPort });
}

/** 0 selects any free port. */
async function gatewayPort(
  variable: keyof typeof defaults,
  picker: PortPicker,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const text = env[variable] || String(defaults[variable]);
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new Failure(`${variable}=${text} is not a port.`, 'Give a number from 0 to 65535.');
  }
  if (port === 0) return picker.pick();
  if (await isFree(port)) return port;
  throw new Failure(
    `Port ${port} is taken by another program.`,
    `Stop that program, or choose another port: ${variable}=${port + 1000} npm start`,
  );
}
