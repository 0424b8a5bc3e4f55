// Matches calls with approval rules. Apart from the rest of the module, because the workflow sandbox must not load a
// library for regular expressions: activities match, and their result is in history.
export { approvalProblems, matchingRules, parseRules, requireSoundRules } from './match-rules';
