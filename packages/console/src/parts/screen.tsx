import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { Api } from '../api/client.js';
import type { Lack } from '../scope.js';
import type { Session } from '../session.js';

/** The context of every screen. */
export interface Desk {
  session: Session;
  api: Api;
  /** What the key is known to lack. */
  lacking: ReadonlySet<Lack>;
}

const DeskContext = createContext<Desk | null>(null);
export const DeskProvider = DeskContext.Provider;

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('there is no desk before somebody is signed in');
  return desk;
}

interface ScreenProps {
  title: string;
  /** Shown beside the title. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** One screen. Keyboard focus moves to it, so that screen readers announce it. */
export function Screen({ title, aside, children }: ScreenProps) {
  const { session } = useDesk();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  // Set before rendering the title, so that no agent's name stands first in the browser tab.
  useEffect(() => {
    document.title = `${session.environment.toUpperCase()} · ${title} · Countersign`;
  }, [title, session.environment]);
  return (
    <>
      <header class="screen">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </header>
      {children}
    </>
  );
}

interface SectionProps {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ title, aside, children }: SectionProps) {
  const id = `section-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
  return (
    <section class="section" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
