// The tables of the store. A migration that was released is never changed: a change is a new one at the end.
//
// No table refers to another by a foreign key. Each write would lock the row of its run, and those of one run come from
// many agents at once. Instead, the row of a deleted run stays for a while, and what arrives late is deleted with it.

/** Migrations in order, each a list of statements in which `@` is replaced by the schema. */
export const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE @.store (
       id uuid PRIMARY KEY,
       created_at timestamptz NOT NULL DEFAULT now(),
       checked_at timestamptz NOT NULL DEFAULT now()
     )`,
    // A run without name is deleted. Its row says which rows elsewhere remain to be deleted.
    `CREATE TABLE @.run (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       name text COLLATE "C" UNIQUE,
       run_id bytea NOT NULL,
       created_at timestamptz NOT NULL DEFAULT now(),
       deleting_at timestamptz
     )`,
    `CREATE TABLE @.blob (
       run bigint NOT NULL,
       name text COLLATE "C" NOT NULL,
       bytes bigint NOT NULL,
       content bytea,
       written_at timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY (run, name)
     )`,
    // Blobs that are too large for one row.
    `CREATE TABLE @.piece (
       run bigint NOT NULL,
       name text COLLATE "C" NOT NULL,
       number integer NOT NULL,
       content bytea NOT NULL,
       PRIMARY KEY (run, name, number)
     )`,
    `CREATE TABLE @.entry (
       run bigint NOT NULL,
       name text COLLATE "C" NOT NULL,
       content bytea NOT NULL,
       written_at timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY (run, name)
     )`,
    // Not logged: the values may be lost, and are overwritten several times a second.
    `CREATE UNLOGGED TABLE @.value (
       run bigint NOT NULL,
       name text COLLATE "C" NOT NULL,
       content bytea NOT NULL,
       PRIMARY KEY (run, name)
     ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500)`,
  ],
];
