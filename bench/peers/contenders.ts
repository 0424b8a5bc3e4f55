import { postgresServer, restateServer, type Server } from './servers';
import { systemFile } from './installation';

/** A system that is measured. */
export interface Contender {
  readonly name: string;
  readonly file: string;
  /** Packages whose versions the page names. */
  readonly packages: readonly string[];
  /** Starts what it needs besides its working process and the Temporal server. */
  readonly server?: () => Promise<Server>;
  /** Whether a run stays where it is after a crash until somebody asks for it to continue. */
  readonly mustBeAsked?: true;
}

export const baton: Contender = { name: 'baton', file: require.resolve('./baton'), packages: [] };

export const peers: readonly Contender[] = [
  { name: 'ai-sdk', file: systemFile('ai-sdk'), packages: ['@temporalio/ai-sdk', 'ai'] },
  {
    name: 'openai-agents',
    file: systemFile('openai-agents'),
    packages: ['@temporalio/openai-agents', '@openai/agents-core'],
  },
  {
    name: 'langgraph',
    file: systemFile('langgraph'),
    packages: ['langchain', '@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite'],
    mustBeAsked: true,
  },
  {
    name: 'deepagents',
    file: systemFile('deepagents'),
    packages: ['deepagents', '@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite'],
    mustBeAsked: true,
  },
  { name: 'dbos', file: systemFile('dbos'), packages: ['@dbos-inc/dbos-sdk'], server: postgresServer },
  {
    name: 'restate',
    file: systemFile('restate'),
    packages: ['@restatedev/restate-sdk', '@restatedev/restate-server'],
    server: restateServer,
  },
];
