export type Kind = 'new_run' | 'date' | 'owner' | 'archive'

/** What the dialog of a setting says. */
export const settingWords: Readonly<
  Record<Kind, { readonly title: string; readonly verb: string; readonly about: string; readonly done: string }>
> = {
  new_run: {
    title: 'Snooze until a new run',
    verb: 'Snooze',
    about: 'The suite needs no attention until its next run.',
    done: 'Snoozed until a new run',
  },
  date: {
    title: 'Snooze until a date',
    verb: 'Snooze',
    about: 'The suite needs no attention until that day begins, in UTC.',
    done: 'Snoozed',
  },
  owner: {
    title: 'Owner',
    verb: 'Save',
    about: 'Who looks after the suite: a person or a team. Without a name it has no owner.',
    done: 'Owner saved',
  },
  archive: {
    title: 'Archive the suite',
    verb: 'Archive',
    about: 'The suite leaves the overview, except the list of archived ones. Its runs stay.',
    done: 'Archived',
  },
}
