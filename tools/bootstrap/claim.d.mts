export interface Claim<Content> {
  text: string;
  record: Content | null;
}

export function claim<Content>(file: string, record: Content): Claim<Content> | null;
export function removeClaim(file: string, found: { text: string }): void;
