import { environments } from '@countersign/kernel/environment';
import { oauthEnabled } from '../authentication/secrets.js';
import type { Config } from '../config.js';
import { unknownPath } from '../errors/refusal.js';
import type { Check } from './state.js';

/** Where no environment has OAuth, its endpoint is not there, whoever asks and with what. */
export function requireOauth({ oauthEnvironments }: Pick<Config, 'oauthEnvironments'>): Check {
  const on = environments.some((name) => oauthEnabled(oauthEnvironments, name));
  return () => {
    if (!on) throw unknownPath();
  };
}
