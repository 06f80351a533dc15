import { isBlank, unhidden } from '../foreign-text.js';

/**
 * What an agent or somebody else wrote. It keeps to its own place: it neither reorders the words
 * and figures beside it, nor covers them, nor pushes them out of sight.
 */
export function Foreign({ text }: { text: string | null }) {
  if (text === null) return <span class="quiet">–</span>;
  if (isBlank(text)) return <span class="quiet">(blank)</span>;
  return <bdi class="foreign">{unhidden(text)}</bdi>;
}
