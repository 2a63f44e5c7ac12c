"""The tab "Documents": the collection, one document, and loading one that `ir_datasets` knows."""

from workbench.web.pages.documents import dataset, documents

BLUEPRINTS = (documents.blueprint, dataset.blueprint)
