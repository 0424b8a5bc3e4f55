// Checking a relay against skills, and its prompt. Never loaded in the workflow sandbox.
export { checkRelaySkills, type FindSkill } from './check-skills';
export { describeStep, relayPrompt } from './relay-prompt';
