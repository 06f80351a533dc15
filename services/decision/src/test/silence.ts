/** Lets a neighbour hang: whoever waits goes on when it is broken. */
export class Silence {
  #broken: Promise<void> = Promise.resolve();
  #break: () => void = () => {};

  fall(): void {
    this.#broken = new Promise((resolve) => {
      this.#break = resolve;
    });
  }

  end(): void {
    this.#break();
  }

  wait(): Promise<void> {
    return this.#broken;
  }
}
