import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { MAX_NOTE, nameProblem, noteProblem } from '../../../commands/hold/hold-fields.ts'
import { findHold, HoldList, HoldView, listHolds } from '../../../queries/runs/holds.ts'
import { ErrorBody, notFound } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { cursor, flag, limit, NAME, nameParameter, NoParameters } from '../../requests/shared-parameters.ts'
import { Reference } from '../../requests/reference.ts'
import type { Services } from '../../services.ts'

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

const HoldsQuery = z.strictObject({
  standing: flag.meta({ description: 'Only holds that stand (true), or only those that were lifted (false).' }),
  limit: limit(50, 200),
  cursor,
})

/**
 * Legal holds: what is under one can be neither deleted nor erased. The function is long because it lists every route.
 */
export const holdRoutes =
  ({ reader, commit }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const newId = newIds()
    const tags = ['audit']
    const params = z.object({ id: nameParameter })
    const querystring = NoParameters
    const WHAT = 'a legal hold'

    const hold = async (hold_id: string): Promise<HoldView> => {
      const found = await reader.read(findHold(hold_id))
      if (!found) throw notFound('hold')
      return found
    }

    const place = {
      tags,
      operationId: 'placeHold',
      summary: 'Place a legal hold on a run, on a suite, or on a project, with all runs to come',
      querystring,
      body: HoldBody,
      response: { 200: HoldView, 201: HoldView, 403: ErrorBody, 404: ErrorBody, 422: ErrorBody },
    }
    app.post(
      '/holds',
      { config: { scope: 'admin', body: 'fields' }, schema: place },
      async ({ viewer, body }, reply) => {
        checkSeesAll(viewer, WHAT)
        const { reference, note = null, run_id = null, project = null, suite = null } = body
        const placed = await commit.placeHold(viewer, {
          hold_id: newId(),
          reference,
          note,
          run_id,
          project,
          suite,
        })
        return reply.code(placed.created ? 201 : 200).send(await hold(placed.hold_id))
      },
    )

    const list = {
      tags,
      operationId: 'listHolds',
      summary: 'Legal holds',
      querystring: HoldsQuery,
      response: { 200: HoldList, 400: ErrorBody, 403: ErrorBody },
    }
    app.get(
      '/holds',
      { config: { scope: 'admin' }, schema: list },
      async ({ viewer, query: { standing, limit: rows, cursor: from } }) => {
        checkSeesAll(viewer, WHAT)
        return listHolds(reader, { standing }, { limit: rows, cursor: from })
      },
    )

    const detail = {
      tags,
      operationId: 'getHold',
      summary: 'A legal hold, and what it holds',
      params,
      querystring,
      response: { 200: HoldView, 403: ErrorBody, 404: ErrorBody },
    }
    app.get('/holds/:id', { config: { scope: 'admin' }, schema: detail }, async ({ viewer, params: { id } }) => {
      checkSeesAll(viewer, WHAT)
      return hold(id)
    })

    const lift = {
      tags,
      operationId: 'liftHold',
      summary: 'Lift a legal hold; other holds on the same runs still stand',
      params,
      querystring,
      body: z.strictObject({ reference: Reference }),
      response: { 200: HoldView, 403: ErrorBody, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
    }
    app.post(
      '/holds/:id/lift',
      { config: { scope: 'admin', body: 'fields' }, schema: lift },
      async ({ viewer, params: { id }, body: { reference } }) => {
        checkSeesAll(viewer, WHAT)
        await commit.liftHold(viewer, { hold_id: id, reference })
        return hold(id)
      },
    )
  }
