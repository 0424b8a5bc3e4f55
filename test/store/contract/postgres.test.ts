import { Client } from 'pg';
import { openStore } from '../../../store/open-store';
import { runName } from '../../../store/run-name';
import { describeWithPostgres, startStoreServers, type StoreServers } from '../../support/stores';
import { contract } from './contract';

describeWithPostgres('a store in PostgreSQL', () => {
  let servers: StoreServers;
  beforeAll(async () => {
    servers = await startStoreServers();
  });
  afterAll(() => servers.close());

  contract(async () => {
    const address = await servers.newDatabase();
    return { open: () => openStore({ store: { address } }), ...postgresStand(address), hasValues: true };
  });
});

/** What the contract does behind the store's back, in a database. */
function postgresStand(address: string): {
  damage(kind: 'blob' | 'entry', run: string, name: string): Promise<void>;
  fill(runs: readonly string[]): Promise<void>;
} {
  return {
    async damage(kind, run, name) {
      const table = kind === 'blob' ? 'blob' : 'entry';
      const change = `SET content = set_byte(content, length(content) - 1, 255) FROM baton.run r
        WHERE r.name = $1 AND r.id = t.run AND starts_with(t.name, $2) AND content IS NOT NULL`;
      await execute(address, `UPDATE baton.${table} t ${change}`, [runName(run), name]);
      if (kind === 'blob') await execute(address, `UPDATE baton.piece t ${change}`, [runName(run), name]);
    },
    async fill(runs) {
      await execute(
        address,
        `WITH made AS (INSERT INTO baton.run (name, run_id) SELECT id, convert_to(id, 'UTF8') FROM unnest($1::text[]) id RETURNING id)
         INSERT INTO baton.entry (run, name, content) SELECT id, 'place', '' FROM made`,
        [runs],
      );
    },
  };
}

async function execute(address: string, sql: string, values: readonly unknown[]): Promise<void> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    await client.query(sql, [...values]);
  } finally {
    await client.end();
  }
}
