// Output formats of prompts and skills, and how final messages are checked against them.
export { checkOutput } from './check-output';
export { type JsonSchema, jsonSchemaSchema, jsonViolation } from './json-output';
export {
  defaultOutput,
  isTextOnly,
  type OutputFormat,
  outputFormatSchema,
  outputInstructions,
  responseElement,
  restoreStopSequence,
  stopSequences,
  type XmlField,
} from './output-format';
export { type ResponseFormat, responseFormatBody, responseFormatOf, responseFormatSchema } from './response-format';
