// Parts of a case that many cases do not have, or that are not shown first. Their scripts load when they are shown.
export const caseParts = {
  input: () => import('./CaseInput.vue'),
  conversation: () => import('./conversation/CaseConversation.vue'),
  request: () => import('./CaseRequest.vue'),
  usage: () => import('./CaseUsage.vue'),
  attachments: () => import('./attachments/CaseAttachments.vue'),
  raw: () => import('./CaseRaw.vue'),
} as const
