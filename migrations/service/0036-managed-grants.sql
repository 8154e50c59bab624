-- The identity provider whose groups gave a grant, such as `oidc:corp`; null for a grant by a person, as all earlier ones are.
ALTER TABLE grants ADD COLUMN managed_by text;
