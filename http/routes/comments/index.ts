import type { Route } from '../route.ts'
import { createCommentRoute } from './create-comment.ts'
import { deleteCommentRoute } from './delete-comment.ts'
import { listCommentsRoute } from './list-comments.ts'

/** Routes of comments on runs and their cases, in the order of the API's document. */
export const commentRoutes: readonly Route[] = [listCommentsRoute, createCommentRoute, deleteCommentRoute]
