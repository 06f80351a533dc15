/** Makes a fake hang: its calls wait from `begin` until `end`. */
export class Stall {
  #ended: Promise<void> = Promise.resolve();
  #end: () => void = () => {};

  begin(): void {
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  end(): void {
    this.#end();
  }

  wait(): Promise<void> {
    return this.#ended;
  }
}
