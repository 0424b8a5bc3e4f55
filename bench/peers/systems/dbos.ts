// DBOS: workflows are functions whose steps are rows of PostgreSQL.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { Client } from 'pg';
import type { Place, System } from '../system';
import { childGoals } from '../work';
import { stepAgent } from './steps';

export async function open(place: Place): Promise<System> {
  const { postgres = '' } = place;
  const play = stepAgent(place);
  const agent = DBOS.registerWorkflow((goal: string) => play(goal, (name, work) => DBOS.runStep(work, { name })), {
    name: 'agent',
  });
  const parent = DBOS.registerWorkflow(
    async (goals: readonly string[]) => {
      const children = await Promise.all(goals.map((goal) => DBOS.startWorkflow(agent)(goal)));
      return Promise.all(children.map((child) => child.getResult()));
    },
    { name: 'parent' },
  );
  DBOS.setConfig({ name: 'peers', systemDatabaseUrl: postgres, logLevel: 'error', runAdminServer: false });
  // Continues the workflows that an earlier process of this version left unfinished.
  await DBOS.launch();
  const database = new Client({ connectionString: postgres });
  await database.connect();
  return {
    async run(id, goal) {
      await (await DBOS.startWorkflow(agent, { workflowID: id })(goal)).getResult();
    },
    async delegate(id, children) {
      await (await DBOS.startWorkflow(parent, { workflowID: id })(childGoals(children))).getResult();
    },
    async finish(id) {
      await DBOS.retrieveWorkflow(id).getResult();
    },
    async stored(id) {
      const query = `SELECT coalesce(sum(octet_length(o::text)), 0)::int AS bytes FROM dbos.operation_outputs o WHERE workflow_uuid = $1`;
      const { rows } = await database.query<{ bytes: number }>(query, [id]);
      return { steps: rows[0]?.bytes ?? 0 };
    },
    async close() {
      await database.end();
      await DBOS.shutdown();
    },
  };
}
