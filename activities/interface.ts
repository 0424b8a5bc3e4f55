import type { ActivityContract, InputOf, ResultOf } from '../domain/kernel';
import type { activityContracts } from './contracts';

type Contract = (typeof activityContracts)[number];

/** An activity as a function, with the types of its contract. */
export type ActivityOf<Each extends ActivityContract> = (input: InputOf<Each>) => Promise<ResultOf<Each>>;

/** The activities, by the names under which workflows call them. Workflows import only this type. */
export type AgentActivities = {
  readonly [Name in Contract['name']]: ActivityOf<Extract<Contract, { readonly name: Name }>>;
};
