import { z } from 'zod';
import { addAgent, onboardingAgent } from './agent.js';
import { grantMandate, onboardingMandate } from './mandate.js';
import { principal, registerPrincipal } from './principal.js';

export const onboard = z
  .strictObject({ principal: registerPrincipal, agent: addAgent, mandate: grantMandate })
  .meta({ id: 'Onboard' });

export const onboarded = z
  .object({ principal, agent: onboardingAgent, mandate: onboardingMandate })
  .meta({ id: 'Onboarded' });
