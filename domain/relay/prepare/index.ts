export { checkRelaySkills, type FindSkill } from './check-skills';
export { describeStep, relayPrompt } from './relay-prompt';
