import { hrefOf, type Screen } from '../route.js';
import { spaced } from './facts.js';

export type Query = Record<string, string>;

interface FilterProps {
  screen: Screen;
  /** The parameter of the API. */
  name: string;
  words: readonly string[];
  /** Without what names a page, since that is of the list as it was filtered before. */
  query: Query;
}

/** A filter of the API as links, so that the address determines what is shown. */
export function Filter({ screen, name, words, query }: FilterProps) {
  return (
    <nav class="filters" aria-label={spaced(name)}>
      <span class="quiet">{spaced(name)}</span>
      {['', ...words].map((word) => (
        <a
          key={word}
          href={hrefOf(screen, '', { ...query, [name]: word })}
          aria-current={(query[name] ?? '') === word ? 'true' : undefined}
        >
          {word === '' ? 'any' : spaced(word).toLowerCase()}
        </a>
      ))}
    </nav>
  );
}
