import { ObjectInBucket } from '../../storage/errors.ts'
import type { RunStep } from './in-steps.ts'

/**
 * Runs steps of long reads. One that needs an object of a bucket ends, and runs again on a thread that may wait for the network: a bucket that does not
 * answer keeps no thread from lists.
 */
export const withBucketReads =
  (step: RunStep, waitingStep: RunStep): RunStep =>
  async (...args) => {
    try {
      return await step(...args)
    } catch (error) {
      if (!(error instanceof ObjectInBucket)) throw error
      return waitingStep(...args)
    }
  }
