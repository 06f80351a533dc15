import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { createApi } from './api/client.js';
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

/** What a key is known to lack belongs to its session, and is forgotten with it. */
interface SignedIn {
  session: Session;
  lacking: ReadonlySet<Lack>;
}

/** The context of the signed-in user; refusals of the API end the session or reduce its scopes. */
function useDeskOfSession(onEnded: (ended: EndedSession) => void) {
  const [signedIn, setSignedIn] = useState<SignedIn | null>(null);
  const open = useCallback(
    (session: Session, lacking: ReadonlySet<Lack>) => setSignedIn({ session, lacking }),
    [],
  );
  const close = useCallback(() => setSignedIn(null), []);
  const session = signedIn?.session ?? null;
  const api = useMemo(() => {
    if (session === null) return null;
    // What was sent by an earlier session may be answered in the next one, which it is not about.
    const change = (next: (current: SignedIn) => SignedIn | null) =>
      setSignedIn((current) => (current?.session === session ? next(current) : current));
    return createApi(session, (problem, path) => {
      const lack = lackOf(problem, path);
      if (lack !== null) {
        change((current) => ({ session, lacking: new Set([...current.lacking, lack]) }));
      }
      if (problem.status !== 401) return;
      onEnded({ because: problem, enteredPrincipalId: session.enteredPrincipalId });
      change(() => null);
    });
  }, [session, onEnded]);
  const desk = useMemo<Desk | null>(() => signedIn && api && { ...signedIn, api }, [signedIn, api]);
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
