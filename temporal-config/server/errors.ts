/** Something in the surroundings keeps Baton from working; the remedy says what a person can do about it. */
export class SetupError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** No dev server could be found, made, started or stopped. */
export class ServerSetupError extends SetupError {}
