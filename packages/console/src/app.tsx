import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { createApi } from './api/client.js';
import type { Problem } from './api/problem.js';
import { Frame } from './frame.js';
import { type Desk, DeskProvider } from './parts/screen.js';
import { parseRoute } from './route.js';
import { type Lack, lackOf } from './scope.js';
import { ScreenOf } from './screens/index.js';
import { SignIn } from './screens/sign-in.js';
import type { EndedSession, Session } from './session.js';

/**
 * Signed out: the sign-in screen for every address. Signed in: the screen of the address, so that
 * signing in again returns to the same place.
 */
export function App() {
  const [ended, setEnded] = useState<EndedSession | null>(null);
  const { desk, open, close } = useDeskOfSession(setEnded);
  const hash = useHash();
  const signOut = useCallback(() => {
    setEnded(null);
    close();
  }, [close]);
  const enteredPrincipalId = desk?.session.enteredPrincipalId ?? null;
  const leaveIdle = useCallback(() => {
    setEnded({ because: 'idle', enteredPrincipalId });
    close();
  }, [close, enteredPrincipalId]);
  if (!desk) return <SignIn ended={ended} onSignIn={open} />;
  return (
    <DeskProvider value={desk}>
      <Frame hash={hash} onSignOut={signOut} onIdle={leaveIdle}>
        <ScreenOf route={parseRoute(hash)} key={hash} />
      </Frame>
    </DeskProvider>
  );
}

const none: ReadonlySet<Lack> = new Set();

/** The context of the signed-in user; refusals of the API end the session or reduce its scopes. */
function useDeskOfSession(onEnded: (ended: EndedSession) => void) {
  const [session, setSession] = useState<Session | null>(null);
  const [lacking, setLacking] = useState(none);
  const open = useCallback((next: Session, lackingToIt: ReadonlySet<Lack>) => {
    setLacking(lackingToIt);
    setSession(next);
  }, []);
  const close = useCallback(() => setSession(null), []);
  const api = useMemo(() => {
    const hear = (problem: Problem, path: string) => {
      const lack = lackOf(problem, path);
      if (lack !== null) setLacking((known) => new Set([...known, lack]));
      if (problem.status !== 401 || session === null) return;
      onEnded({ because: problem, enteredPrincipalId: session.enteredPrincipalId });
      setSession((current) => (current === session ? null : current));
    };
    return session && createApi(session, hear);
  }, [session, onEnded]);
  const desk = useMemo<Desk | null>(
    () => session && api && { session, api, lacking },
    [session, api, lacking],
  );
  return { desk, open, close };
}

function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => {
      setHash(location.hash);
      scrollTo(0, 0);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return hash;
}
