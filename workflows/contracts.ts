import {
  beforeTurnContract,
  filesContract,
  runWorkflowContract,
  sessionContract,
  snapshotContract,
} from '../domain/agent';
import { delegationWorkflowContract } from '../domain/delegation';
import {
  admittedContract,
  operatorDecisionContract,
  parkedContract,
  pauseContract,
  resumeContract,
  setPausedContract,
  standingContract,
  steerContract,
} from '../domain/operator';
import { relayWorkflowContract } from '../domain/relay';
import { applyTurnsContract, closeSessionContract, isClosedContract, sessionWorkflowContract } from '../domain/session';
import { readTextContract, textsWorkflowContract } from '../domain/store';

// The reference and the tests read these lists. The workflows themselves use single contracts.

/** Contracts of all workflows. */
export const workflowContracts = [
  runWorkflowContract,
  relayWorkflowContract,
  delegationWorkflowContract,
  sessionWorkflowContract,
  textsWorkflowContract,
] as const;

/** Contracts of all Queries, Updates and Signals. */
export const messageContracts = [
  snapshotContract,
  filesContract,
  sessionContract,
  beforeTurnContract,
  applyTurnsContract,
  closeSessionContract,
  isClosedContract,
  operatorDecisionContract,
  pauseContract,
  resumeContract,
  steerContract,
  readTextContract,
  setPausedContract,
  standingContract,
  parkedContract,
  admittedContract,
] as const;
