import type { Json, JsonObject } from '../../../engine/json.ts'
import { TemplateError } from '../../../engine/templates/templates.ts'
import type { Templates } from '../../../engine/templates/templates.ts'

/** Templates that know `{{ name }}` and `{{ name.member }}` alone: enough where a spec is about something else. */
export const plainTemplates: Templates = {
  render: (template, context) =>
    template.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (_, path: string) => {
      let value: Json | undefined = context
      for (const name of path.split('.')) value = (value as JsonObject | undefined)?.[name]
      if (value === undefined) throw new TemplateError(`${path} is not defined`)
      return typeof value === 'string' ? value : JSON.stringify(value)
    }),
  evaluate: () => {
    throw new TemplateError('expressions are not known here')
  },
}
