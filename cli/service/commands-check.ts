import { findSandbox } from '../../temporal-config/node/find-sandbox';
import { describeSandbox, sandboxRemedy } from '../../temporal-config/sandbox';
import type { CliContext } from '../context';
import type { Check } from './checks';

/** Tries the sandbox in which a worker on this machine would run the commands of agents. */
export function commandsCheck({ settings }: CliContext): Check {
  return {
    name: 'Commands',
    async run() {
      const sandbox = await findSandbox(settings().commands.sandbox);
      const detail = `sandbox: ${describeSandbox(sandbox)}`;
      if (sandbox.kind !== 'none') return { state: 'ok', detail };
      return { state: 'warn', detail: `${detail}, so runs with --commands can't start`, fix: sandboxRemedy };
    },
  };
}
