import { z } from 'zod'
import { MAX_NOTE, nameProblem, noteProblem } from '../../../commands/hold/hold-fields.ts'
import { HoldView } from '../../../queries/runs/holds.ts'
import { ErrorBody } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { Reference } from '../../requests/reference.ts'
import { NAME } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { A_HOLD, readHold } from './hold.ts'

/** A text of which a function says what is wrong, or null. */
const checked = (problemOf: (text: string) => string | null) =>
  z.string().superRefine((text, context) => {
    const message = problemOf(text)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

const Note = checked(noteProblem).meta({ maxLength: MAX_NOTE })

const Name = checked(nameProblem).meta(NAME)

const HoldBody = z
  .strictObject({
    reference: Reference,
    note: Note.nullish(),
    run_id: z.string().min(1).nullish(),
    project: Name.nullish(),
    suite: Name.nullish(),
  })
  .refine(
    ({ run_id = null, project = null, suite = null }) =>
      run_id === null ? project !== null : project === null && suite === null,
    'give run_id, or project with or without suite',
  )

export const placeHoldRoute: Route = (app, { reader, commit }) => {
  const newId = newIds()
  app.post(
    '/holds',
    {
      config: { scope: 'admin', body: 'fields' },
      schema: {
        tags: ['audit'],
        operationId: 'placeHold',
        summary: 'Place a legal hold on a run, or on all present and future runs of a suite or a project',
        body: HoldBody,
        response: { 200: HoldView, 201: HoldView, 404: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body }, reply) => {
      checkSeesAll(viewer, A_HOLD)
      const { reference, note = null, run_id = null, project = null, suite = null } = body
      const placed = await commit.placeHold(viewer, {
        hold_id: newId(),
        reference,
        note,
        run_id,
        project,
        suite,
      })
      return reply.code(placed.created ? 201 : 200).send(await readHold(reader, placed.hold_id))
    },
  )
}
