import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useIdle } from './idle.js';
import { useDesk } from './parts/screen.js';
import { hrefOf, hrefOfId, type Screen, shownKinds } from './route.js';
import type { Scope } from './scope.js';
import type { Environment } from './session.js';

const places: ReadonlyArray<readonly [Screen, string, Scope]> = [
  ['agents', 'Agents', 'agents'],
  ['log', 'Decisions', 'authorize'],
  ['step-ups', 'Step-ups', 'authorize'],
  ['cases', 'Fraud cases', 'cases'],
  ['takeovers', 'Takeovers', 'cases'],
  ['webhooks', 'Webhooks', 'webhooks'],
  ['thresholds', 'Thresholds', 'thresholds'],
];

interface FrameProps {
  hash: string;
  onSignOut: () => void;
  /** Called instead when nobody has used the console for too long. */
  onIdle: () => void;
  children: ComponentChildren;
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The frame around all screens: navigation, identity and sign-out. */
export function Frame({ hash, onSignOut, onIdle, children }: FrameProps) {
  const { session, lacking } = useDesk();
  const open = places.filter(([, , scope]) => !lacking.has(scope));
  useIdle({ onIdle, onLeave: onSignOut });
  return (
    <div class={`frame ${session.environment}`}>
      <button type="button" class="skip" onClick={toMain}>
        Skip to content
      </button>
      <EnvironmentBand environment={session.environment} />
      <header class="top">
        <span class="brand">Countersign</span>
        <nav aria-label="Screens">
          {open.map(([screen, name]) => {
            const href = hrefOf(screen);
            const here = hash.startsWith(href) || (screen === 'agents' && hash === '');
            return (
              <a key={screen} href={href} aria-current={here ? 'page' : undefined}>
                {name}
              </a>
            );
          })}
        </nav>
        <GoTo key={hash} />
        <span class="who">
          {session.principalId ? (
            <code class="id">{session.principalId}</code>
          ) : (
            <span class="quiet">the Principal of the key</span>
          )}
          <button type="button" onClick={onSignOut}>
            Sign out
          </button>
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="quiet">
        Times are in {zone === 'UTC' ? zone : `${zone}, followed by UTC`}.
      </footer>
    </div>
  );
}

/** The address hash is the route, so the browser's own anchor navigation cannot be used. */
function toMain() {
  document.getElementById('main')?.focus();
}

const words: Record<Environment, string> = {
  live: 'LIVE · real agents, real money',
  sandbox: 'SANDBOX · test data, no money moves',
};

export function EnvironmentBand({ environment }: { environment: Environment }) {
  return (
    <section class={`band ${environment}`} aria-label="Environment">
      {words[environment]}
    </section>
  );
}

/** Opens the screen of an id that was pasted. */
function GoTo() {
  const [wrong, setWrong] = useState(false);
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const href = hrefOfId(String(new FormData(form).get('id') ?? '').trim());
    setWrong(href === null);
    if (href === null) return;
    location.hash = href;
    form.reset();
  };
  return (
    <form class="goto" onSubmit={go}>
      <input
        name="id"
        aria-label="Go to id"
        placeholder="auth_… agt_… mnd_…"
        autocomplete="off"
        spellcheck={false}
        onInput={() => setWrong(false)}
        aria-invalid={wrong}
        aria-describedby={wrong ? 'goto-wrong' : undefined}
      />
      {wrong && (
        <span id="goto-wrong" role="alert">
          No screen shows this kind of id. There are screens for {shownKinds.join(', ')}.
        </span>
      )}
    </form>
  );
}
