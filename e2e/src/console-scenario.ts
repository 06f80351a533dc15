import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import type { Visit } from './console-visit.js';
import type { ConsoleWorld } from './console-world.js';

type Scenario<Guest> = (t: Test, world: ConsoleWorld, guest: Guest) => Promise<void>;

/** By what they guarantee; each has a visit of its own, which begins at the sign-in. */
export type Scenarios = Record<string, Scenario<Visit>>;

/** The same, signed in with the key of the sandbox. */
export type SignedInScenarios = Record<string, Scenario<Page>>;
