import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { createApi } from '../api/client.js';
import { asProblem, type Problem } from '../api/problem.js';
import type { AgentPage } from '../api/shapes.js';
import { EnvironmentBand } from '../frame.js';
import { Field } from '../parts/field.js';
import { ProblemNote } from '../parts/problem-note.js';
import { type Lack, lacksOf } from '../scope.js';
import { type EndedSession, type Session, sessionOf } from '../session.js';

interface SignInProps {
  /** The previous session, if it was not its user who ended it. */
  ended: EndedSession | null;
  onSignIn: (session: Session, lacking: ReadonlySet<Lack>) => void;
}

export function SignIn({ ended, onSignIn }: SignInProps) {
  const [apiKey, setApiKey] = useState('');
  const [principalId, setPrincipalId] = useState(ended?.enteredPrincipalId ?? '');
  const session = sessionOf(apiKey, principalId);
  useEffect(() => {
    document.title = 'Sign in · Countersign';
  }, []);
  return (
    <main class="sign-in">
      {session && <EnvironmentBand environment={session.environment} />}
      <h1>Countersign console</h1>
      {ended && <Ended because={ended.because} />}
      <Credentials session={session} onSignIn={onSignIn}>
        <Field
          id="api-key"
          label="API key"
          hint="A key of the Client, or a sandbox key of one Principal."
          kind="secret"
          required
          value={apiKey}
          onInput={setApiKey}
        />
        <Field
          id="principal"
          label="Principal"
          hint="The Principal to act for; required if the Client has several."
          placeholder="prn_…"
          value={principalId}
          onInput={setPrincipalId}
        />
        <p class="quiet" role="status">
          {apiKey !== '' && !session && notAKey}
        </p>
      </Credentials>
      <p class="quiet">
        The key stays in the memory of this page; it is neither stored nor added to the address.
        Reloading or closing the page signs you out.
      </p>
    </main>
  );
}

const notAKey =
  'Invalid key or Principal: a key begins with svc_live_ or svc_test_, and neither field may ' +
  'contain spaces or invisible characters.';

function Ended({ because }: Pick<EndedSession, 'because'>) {
  if (because === 'idle') {
    return (
      <p class="note wait" role="status">
        The session ended because the console was not used for half an hour, and its key was
        discarded. Sign in to return to where you were.
      </p>
    );
  }
  return (
    <>
      <ProblemNote problem={because} />
      <p>
        The service refused the session for this reason, so its key was discarded. Your last action
        was not carried out. Sign in to return to where you were.
      </p>
    </>
  );
}

interface CredentialsProps extends Pick<SignInProps, 'onSignIn'> {
  /** Null while the input is not a valid API key. */
  session: Session | null;
  children: ComponentChildren;
}

/** A key is accepted if the API serves the first screen with it. */
function Credentials({ session, onSignIn, children }: CredentialsProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const signIn = async (event: Event) => {
    event.preventDefault();
    if (session === null || busy) return;
    setBusy(true);
    try {
      const api = createApi(session);
      const { agents } = await api.get<AgentPage>('/agents?page_size=1');
      const lacking = await lacksOf(api, agents[0]?.id);
      // Named from now on, so that another Principal of the Client changes nothing.
      const principalId = agents[0]?.principal_id ?? session.principalId;
      onSignIn({ ...session, principalId }, lacking);
    } catch (thrown) {
      setProblem(asProblem(thrown));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={signIn}>
      {children}
      {problem && <ProblemNote problem={problem} />}
      <div class="buttons">
        <button type="submit" class="main" disabled={busy || session === null}>
          Sign in
        </button>
      </div>
    </form>
  );
}
