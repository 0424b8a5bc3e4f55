/** Where a worker runs the commands of agents. */
export type Sandbox =
  | {
      readonly kind: 'bwrap';
      /** Path of `bwrap`. */
      readonly program: string;
      /** Path of `prlimit`, which sets the limits of a command. */
      readonly prlimit: string;
      readonly version: string;
    }
  | {
      readonly kind: 'container';
      readonly program: 'docker' | 'podman';
      readonly image: string;
    }
  /** The operator of the worker declared its machine to be a sandbox: commands run like any other process. */
  | { readonly kind: 'unsafe' }
  | {
      readonly kind: 'none';
      /** Why there is none, as part of a sentence. */
      readonly reason: string;
    };

/** What to do about a worker that can't run commands. */
export const sandboxRemedy =
  'Install bubblewrap on the machine of the worker (apt-get install bubblewrap), or set BATON_SANDBOX=docker:<image> or podman:<image> for the worker. If its machine is itself a sandbox, start it with --unsafe-commands.';

/** Describes a sandbox in a few words. */
export function describeSandbox(sandbox: Sandbox): string {
  switch (sandbox.kind) {
    case 'bwrap':
      return `bubblewrap ${sandbox.version}`;
    case 'container':
      return `${sandbox.program} with the image ${sandbox.image}`;
    case 'unsafe':
      return 'none: commands run without a sandbox, because --unsafe-commands or BATON_SANDBOX=unsafe says so';
    case 'none':
      return `none: ${sandbox.reason}`;
  }
}
