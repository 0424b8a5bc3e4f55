// Output formats of skills, and how final messages are checked against them.
export { checkOutput } from './check-output';
export { type JsonSchema, jsonSchemaSchema, jsonViolation } from './json-output';
export {
  type OutputFormat,
  outputFormatSchema,
  outputInstructions,
  responseElement,
  restoreStopSequence,
  stopSequences,
  type XmlField,
} from './output-format';
