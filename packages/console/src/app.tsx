import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { createApi } from './api/client.js';
import { Frame } from './frame.js';
import { DeskProvider } from './parts/screen.js';
import { parseRoute } from './route.js';
import { ScreenOf } from './screens/index.js';
import { SignIn } from './screens/sign-in.js';
import type { Session } from './session.js';

/** Signed out: the sign-in, whatever the address says. Signed in: what the address says. */
export function App() {
  const [session, setSession] = useState<Session | null>(null);
  const hash = useHash();
  const signOut = useCallback(() => setSession(null), []);
  const desk = useMemo(() => session && { session, api: createApi(session) }, [session]);
  if (!desk) return <SignIn onSignIn={setSession} />;
  return (
    <DeskProvider value={desk}>
      <Frame hash={hash} onSignOut={signOut}>
        <ScreenOf route={parseRoute(hash)} key={hash} />
      </Frame>
    </DeskProvider>
  );
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
