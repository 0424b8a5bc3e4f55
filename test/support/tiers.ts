/** A tier is a Jest project. */
export interface Tier {
  /** Folders below test/. */
  readonly folders: readonly string[];
  /** `server`: a build, and a Temporal server that all of its test files share. */
  readonly needs: 'nothing' | 'build' | 'own servers' | 'server';
  /** Its tests measure how long something takes, so no other test may run beside them. */
  readonly alone?: boolean;
}

export const tiers: Readonly<Record<string, Tier>> = {
  domain: {
    folders: [
      'domain',
      'bench',
      'encryption',
      'fuzz',
      'interleavings',
      'store',
      'definitions',
      'page/unit',
      'soak',
      'testing/scripted-model',
      'cli/drawing',
      'cli/encryption',
      'cli/prompt',
      'cli/session',
      'cli/skill',
      'cli/ui',
      'cli/workspace',
    ],
    needs: 'nothing',
  },
  activities: { folders: ['activities', 'temporal-config/node', 'temporal-config/shared'], needs: 'nothing' },
  'dev-server': { folders: ['temporal-config/dev-server'], needs: 'own servers' },
  architecture: { folders: ['architecture'], needs: 'build' },
  page: { folders: ['page/browser'], needs: 'build' },
  workflows: { folders: ['workflows', 'replay', 'testing/harness'], needs: 'server' },
  e2e: {
    folders: ['e2e', 'client', 'cli/agent', 'cli/operator', 'cli/relay', 'cli/report', 'cli/service', 'cli/program'],
    needs: 'server',
  },
  chaos: { folders: ['chaos'], needs: 'server' },
  timing: { folders: ['timing'], needs: 'server', alone: true },
};
