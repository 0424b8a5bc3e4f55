/** A problem in Baton's environment. The remedy says what the user can do about it. */
export class SetupError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** A dev server could not be found, created, started or stopped. */
export class ServerSetupError extends SetupError {}
