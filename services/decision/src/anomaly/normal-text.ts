/** Text as it is searched and compared: without regard to case, width and spacing. */
export function normalText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
