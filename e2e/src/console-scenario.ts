import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import type { Visit } from './console-visit.js';
import type { ConsoleWorld } from './console-world.js';

type Scenario<Guest> = (t: Test, world: ConsoleWorld, guest: Guest) => Promise<void>;

/** Scenarios by their guarantee; each starts with a new visit at the sign-in screen. */
export type Scenarios = Record<string, Scenario<Visit>>;

/** The same, signed in with the sandbox key. */
export type SignedInScenarios = Record<string, Scenario<Page>>;
