import { braintrust } from './braintrust.ts'
import { langfuse } from './langfuse.ts'
import { langsmith } from './langsmith.ts'
import { mlflow } from './mlflow.ts'
import { openai } from './openai.ts'
import { phoenix } from './phoenix.ts'
import type { Tool } from './tool.ts'

/** Every service that can be fetched from, by its name on the command line. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ['langfuse', langfuse],
  ['langsmith', langsmith],
  ['braintrust', braintrust],
  ['phoenix', phoenix],
  ['mlflow', mlflow],
  ['openai', openai],
])
