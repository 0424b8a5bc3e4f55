/* eslint-disable @typescript-eslint/no-require-imports -- what is exported is known only to the bundler */
import own = require('baton-joined-own');
import theirs = require('baton-joined-theirs');

/**
 * Entry of a worker that runs Baton's workflows beside a team's. `BatonPlugin` tells the bundler which files the two names
 * mean.
 */
export = joined(theirs, own);

function joined(team: Workflows, baton: Workflows): Workflows {
  const twice = Object.keys(baton).find((name) => name in team);
  // Not an ApplicationFailure: the task is retried until a worker has other workflows, and no run is lost.
  if (twice !== undefined) throw new TypeError(`Both your workflows and Baton's have the name ${twice}. Rename yours.`);
  return { ...team, ...baton };
}

type Workflows = Readonly<Record<string, unknown>>;
