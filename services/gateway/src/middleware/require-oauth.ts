import { environments } from '@countersign/kernel/environment';
import type { Config } from '../config.js';
import { unknownPath } from '../errors/refusal.js';
import type { Check } from './state.js';

/** Where no environment has OAuth, its endpoint is not there, whoever asks and with what. */
export function requireOauth({ oauthEnvironments }: Pick<Config, 'oauthEnvironments'>): Check {
  const on = environments.some((name) => oauthEnvironments.includes(name));
  return () => {
    if (!on) throw unknownPath();
  };
}
