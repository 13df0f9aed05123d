// The definition that the scripts of the clients use: status, scale, columns, defaults, rules.

export const widgetDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.dev
spec:
  group: example.dev
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Note, type: string, jsonPath: .spec.note, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A widget is a thing that has a color.
        properties:
          spec:
            type: object
            description: What the widget should be.
            required: [color]
            properties:
              color: {type: string, enum: [red, green, blue], description: The color of the widget.}
              replicas: {type: integer, minimum: 0, maximum: 100, default: 1}
              note: {type: string, maxLength: 100}
              ports:
                type: array
                maxItems: 10
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string, maxLength: 20}
                    port: {type: integer}
            x-kubernetes-validations:
            - rule: self.replicas <= 50 || self.color == 'red'
              message: only red widgets scale past 50
          status:
            type: object
            properties:
              replicas: {type: integer}
              phase: {type: string}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties:
                    type: {type: string}
                    status: {type: string}
                    reason: {type: string}
                    message: {type: string}
                    lastTransitionTime: {type: string, format: date-time}
`

export const widget = (name: string, spec: string, more = ""): string =>
  `apiVersion: example.dev/v1\nkind: Widget\nmetadata: {name: ${name}${more}}\nspec: ${spec}\n`
