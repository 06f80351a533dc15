import { isBlank, unhidden } from '../foreign-text.js';

/**
 * Text from agents or third parties, isolated so that it cannot reorder, cover or displace its
 * surroundings.
 */
export function Foreign({ text }: { text: string | null }) {
  if (text === null) return <span class="quiet">–</span>;
  if (isBlank(text)) return <span class="quiet">(blank)</span>;
  return <bdi class="foreign">{unhidden(text)}</bdi>;
}
