import t from 'tap';
import { changes } from './console-changes.js';
import { decisions } from './console-decisions.js';
import { log } from './console-log.js';
import { pictures } from './console-picture.js';
import type { Scenarios, SignedInScenarios } from './console-scenario.js';
import { screens } from './console-screens.js';
import { sessions } from './console-sessions.js';
import { stepUps } from './console-step-ups.js';
import { takeovers } from './console-takeovers.js';
import { signIn, visit } from './console-visit.js';
import { openWorld } from './console-world.js';

// A browser beside six services, on a machine that may be busy with other tests.
t.setTimeout(900_000);
const opened = await openWorld();
if (typeof opened === 'string') {
  process.stderr.write(`The console was not tested in a browser: ${opened}\n`);
} else {
  t.teardown(() => opened.stop());
}

type Scenario = Scenarios[string];

/** Each scenario has a visit of its own, without an existing session. */
function atConsole(name: string, run: Scenario): void {
  const skip = typeof opened === 'string' ? opened : false;
  t.test(name, { skip }, async (t) => {
    if (typeof opened === 'string') return;
    const guest = await visit(opened.browser, opened.stack.baseUrl);
    await run(t, opened, guest);
    t.same(guest.complaints, [], 'neither the page nor its policy complains');
    await guest.close();
  });
}

/** The same, signed in with the sandbox key. */
function signedIn(run: SignedInScenarios[string]): Scenario {
  return async (t, world, { page }) => {
    await signIn(page, world.key);
    await run(t, world, page);
  };
}

for (const [name, run] of Object.entries(sessions)) atConsole(name, run);
const afterSignIn = { ...decisions, ...log, ...changes, ...screens, ...stepUps, ...takeovers };
for (const [name, run] of Object.entries(afterSignIn)) atConsole(name, signedIn(run));
const asked = process.env.CONSOLE_PICTURE === 'on' ? pictures : {};
for (const [name, run] of Object.entries(asked)) atConsole(name, run);
