export { runWorkflow } from './run';
