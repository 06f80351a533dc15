/**
 * A number of a request body that a double would not print back, kept as its source text: money is
 * read from the text, everything else goes through `toNumber` knowingly.
 */
export class JsonNumber {
  constructor(readonly text: string) {}

  toNumber(): number {
    return Number(this.text);
  }

  toJSON(): number {
    return this.toNumber();
  }
}
